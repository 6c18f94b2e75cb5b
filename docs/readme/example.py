from mars_score import MarsScorer

result = MarsScorer().score(
    candidates=["Tom wrapped the seedlings up at night, and most survived.", "The concert was sold out."],
    references=["He covered the little plants with newspaper every evening and saved five of them."] * 2,
    contexts=[
        "Tom sowed tomatoes in March and put the seedlings in his garage. In May, the forecast announced frost."
    ]
    * 2,
)
print([round(score, 3) for score in result.scores])  # in order; result.mean is the system's score
for term in result[0].augmented:  # what the first candidate was compared with
    print(f"{term.cosine:.3f}  {term.text}")
