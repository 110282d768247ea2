# docker build -t anguilla . && docker run --rm -v "$PWD/out:/out" anguilla swim --gait planar --t1 10 --out /out
FROM python:3.12-slim
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir ".[urdf,mesh,mjcf,interactive]"
WORKDIR /
ENV MPLBACKEND=Agg JAX_PLATFORMS=cpu
ENTRYPOINT ["anguilla"]
CMD ["--help"]
