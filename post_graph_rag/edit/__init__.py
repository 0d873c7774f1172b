"""What people change by hand: delete, erase, purge, merge, split, rename, close, reopen, rules of supersession."""
