"""`--report`: a run as one HTML file."""
