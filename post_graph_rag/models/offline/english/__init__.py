"""Reading English by rule over a dependency parse: names, who a pronoun means, statements, dates."""
