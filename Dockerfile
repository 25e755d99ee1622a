# In a clone: docker build -t sitemapper .
# In a project: docker run --rm -v "$PWD:/site" sitemapper build
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY scripts/readme_for_pypi.py scripts/
COPY sitemapper sitemapper
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /dist .

FROM python:3.13-slim-bookworm
# git dates the pages. It also reads a project that belongs to another user than the container's.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && git config --system safe.directory '*'
COPY --from=build /dist/static_sitemapper-1.0.0rc1-py3-none-any.whl /tmp/
RUN pip install --no-cache-dir /tmp/static_sitemapper-1.0.0rc1-py3-none-any.whl
# The first user of most machines, to whom the written files then belong.
USER 1000:1000
WORKDIR /site
ENTRYPOINT ["sitemapper"]
CMD ["--help"]
