"""Files in and out: rows to score, their scores, data sets with human ratings, pages."""
