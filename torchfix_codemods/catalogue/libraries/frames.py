"""What data sets ask of tables of pandas that is gone."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Gone

_RULE = "TP907"

ROWS = (
    Gone(
        "pandas.DataFrame.ix",
        "write .iloc for positions, .loc for labels",
        rule=_RULE,
        gone="1.0",
    ),
    Gone(
        "pandas.DataFrame.as_matrix",
        "write .values, of the columns that are meant",
        rule=_RULE,
        gone="1.0",
    ),
    Gone("pandas.DataFrame.get_values", "write .values", rule=_RULE, gone="1.0"),
    Gone(
        "pandas.DataFrame.from_csv",
        "pandas.read_csv(path, index_col=0, parse_dates=True) reads the same",
        rule=_RULE,
        gone="1.0",
    ),
)
