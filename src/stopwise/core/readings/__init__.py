"""What is compared: one file for each way in which trials become the numbers of a test."""
