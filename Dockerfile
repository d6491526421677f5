# limpet alone, in an image of nothing else:
#
#   docker build -t limpet .
#   docker run --rm -i limpet run -c 'echo hello'
#   docker run --rm -p 127.0.0.1:8080:8080 -v limpet:/data -e LIMPET_SERVE_TOKEN limpet serve --listen 0.0.0.0:8080 --remote
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /limpet ./cmd/limpet && mkdir -m 700 /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /limpet /limpet
COPY --from=build --chown=65532:65532 /data /data
ENV XDG_DATA_HOME=/data
USER 65532:65532
ENTRYPOINT ["/limpet"]
