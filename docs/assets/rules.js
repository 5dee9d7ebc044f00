/* Filters the page of all rules. Without it the page shows them all. */
(() => {
  const place = document.getElementById("filters");
  if (!place) return;
  const rules = [...document.querySelectorAll(".rule")];
  const form = document.createElement("form");
  const field = (name, control) => {
    const label = document.createElement("label");
    label.append(name, control);
    form.append(label);
    return control;
  };
  const search = field("Text", document.createElement("input"));
  search.type = "search";
  search.placeholder = "name, code or words";
  const choice = (name, key) => {
    const select = field(name, document.createElement("select"));
    const values = rules.flatMap(rule => rule.dataset[key].split(key === "family" ? "\n" : " "));
    for (const value of ["all", ...new Set(values.filter(Boolean))]) select.add(new Option(value));
    return [key, select];
  };
  const choices = [choice("Subject", "family"), choice("Numbers", "numerics"), choice("Why", "why")];
  const shown = form.appendChild(document.createElement("output"));
  shown.setAttribute("aria-live", "polite");
  const texts = new Map(rules.map(rule => [rule, rule.textContent.toLowerCase()]));
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const rule of rules) {
      const fits = choices.every(([key, select]) => select.value === "all"
        || (key === "family" ? [rule.dataset.family] : rule.dataset[key].split(" "))
          .includes(select.value));
      rule.hidden = !fits || !words.every(word => texts.get(rule).includes(word));
    }
    for (const heading of document.querySelectorAll(".md-content h2")) {
      let some = false;
      for (let next = heading.nextElementSibling; next && next.matches(".rule");
        next = next.nextElementSibling) some ||= !next.hidden;
      heading.hidden = !some;
    }
    shown.textContent = `${rules.filter(rule => !rule.hidden).length} of ${rules.length} rules`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  place.append(form);
  apply();
})();
