"""How many trials it will take, and whether it is worth starting or going on."""
