# A static binary in an image without a shell. Builds with BuildKit (`docker build .`) and with buildah (`podman build
# --format docker .`; the OCI format has no place for a health check). `.ci/container` builds and runs it.

# Both base images are pinned by the digest of the index behind the tag. The present digests were not read from the
# registries: they are those that many public repositories pinned for these tags in November 2026.
# `deploy/renew-base-images` reads the registries and updates them here; run it for every release.
FROM docker.io/library/rust:1.95-slim-bookworm@sha256:d7482085ff5b415f84dba5647ae71606650bdef00db7aeb69f4b3d170c3e4082 AS build
# The commit that `candor --version` names.
ARG REVISION=unknown
WORKDIR /build
COPY . .
# Crates, compiled code and the tools of deploy/release stay in the builder's caches, so a change to the sources compiles
# only the bot again. Cargo compares file times, which a copy keeps: without `touch`, a cache newer than an older
# checkout would put an outdated binary into the image.
RUN --mount=type=cache,id=candor-registry,target=/usr/local/cargo/registry,sharing=locked \
    --mount=type=cache,id=candor-target,target=/build/target,sharing=locked \
    touch modules/lib.rs src/lib.rs src/main.rs src/*/lib.rs \
    && deploy/release /out \
    && mkdir /out/data

FROM gcr.io/distroless/static-debian12:nonroot@sha256:d093aa3e30dbadd3efe1310db061a14da60299baff8450a17fe0ccc514a16639
ARG VERSION=unreleased
ARG REVISION=unknown
LABEL org.opencontainers.image.title="candor" \
      org.opencontainers.image.description="A self-hosted Discord bot that never fakes a command" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.base.name="gcr.io/distroless/static-debian12:nonroot"
WORKDIR /app
COPY --from=build /out/candor /usr/local/bin/candor
COPY --chmod=0644 config.toml /app/config.toml
# The licences of the crates and the font require their texts.
COPY --from=build /out/licences /app/licences
COPY --from=build /out/sbom /app/sbom
# A new volume inherits the owner of the folder that it covers.
COPY --from=build --chown=65532:65532 /out/data /app/data
VOLUME /app/data
USER 65532:65532
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=2 CMD ["/usr/local/bin/candor", "health"]
ENTRYPOINT ["/usr/local/bin/candor"]
CMD ["run"]
