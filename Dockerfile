# The playground and the HTTP interface, with the default models inside: nothing is fetched at run time.
#
#   docker build -t mars-score .
#   docker run -p 8000:8000 -e MARS_SCORE_TOKEN=a-long-secret mars-score
#
# Build arguments: TORCH_INDEX for a CUDA build of torch (https://download.pytorch.org/whl/cu128), EXTRAS for more extras.
FROM python:3.11-slim

ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG EXTRAS=convert,serve,baselines

ENV PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MARS_SCORE_HOME=/models \
    MARS_SCORE_CACHE=/cache

WORKDIR /app

# First and by its exact version: what depends on it would pull a build with all GPU libraries.
COPY requirements/torch.txt requirements/constraints.txt requirements/
RUN pip install --index-url "$TORCH_INDEX" -r requirements/torch.txt

COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip install -c requirements/constraints.txt ".[$EXTRAS]"

RUN useradd --create-home --uid 10001 mars && mkdir /models /cache && chown mars /models /cache
USER mars
RUN mars-score models get

VOLUME /cache
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]

# Other machines can reach this address, so that the server refuses to start without MARS_SCORE_TOKEN.
ENTRYPOINT ["mars-score"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
