"""Question -> channels -> fusion -> context -> answer."""
