"""Text -> chunks -> extraction -> gates -> resolution -> write."""
