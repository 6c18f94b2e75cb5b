"""What our servers share, the playground and HTTP interface, the explain pages, and the rating form."""
