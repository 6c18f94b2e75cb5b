"""What our servers share: who may ask, how much, and what every answer carries."""
