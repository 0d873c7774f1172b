"""Ways to reach the front door."""
