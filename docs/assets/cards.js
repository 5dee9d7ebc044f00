/* Filters the pages of all rules and of the catalogue. Without it they show everything. */
(() => {
  const place = document.getElementById("filters");
  if (!place) return;
  const cards = [...document.querySelectorAll(".card")];
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
    const values = cards.flatMap(card => card.dataset[key].split(key === "family" ? "\n" : " "));
    for (const value of ["all", ...new Set(values.filter(Boolean))]) select.add(new Option(value));
    return [key, select];
  };
  const choices = [choice("Subject", "family"), choice("Numbers", "numerics"), choice("Why", "why")];
  const shown = form.appendChild(document.createElement("output"));
  shown.setAttribute("aria-live", "polite");
  const texts = new Map(cards.map(card => [card, card.textContent.toLowerCase()]));
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      const fits = choices.every(([key, select]) => select.value === "all"
        || (key === "family" ? [card.dataset.family] : card.dataset[key].split(" "))
          .includes(select.value));
      card.hidden = !fits || !words.every(word => texts.get(card).includes(word));
    }
    for (const heading of document.querySelectorAll(".md-content h2")) {
      let some = false;
      for (let next = heading.nextElementSibling; next && next.matches(".card");
        next = next.nextElementSibling) some ||= !next.hidden;
      heading.hidden = !some;
    }
    shown.textContent = `${cards.filter(card => !card.hidden).length} of ${cards.length} ${place.dataset.noun}`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", event => event.preventDefault());
  place.append(form);
  apply();
})();
