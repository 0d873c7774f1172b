"""The only room that speaks SQL or Cypher."""
