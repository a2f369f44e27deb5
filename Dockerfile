# syntax=docker/dockerfile:1
# One image for all processes: `node /app/operator.js`, `node /app/coordinator.js`, `node /app/worker.js`, `node /app/cli.js`.
#   docker build -t ghcr.io/rollout-run/rollout:0.1.0 .
# What is in /app is decided by scripts/image-app.ts.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# The scripts of packages make programs for development; native libraries come built. The sources are not there yet for `prepare`.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY runtime runtime
COPY operator operator
COPY scripts scripts
RUN node scripts/build.ts && node scripts/image-app.ts /app && du -sh /app

# The C and C++ libraries, authorities and time zones, without a shell or a package manager.
FROM gcr.io/distroless/cc-debian12
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app /app
ENV NODE_ENV=production
WORKDIR /app
# By number, so that a cluster sees that it is not root. It owns nothing: whatever user a cluster gives can run it.
USER 65532:65532
ENTRYPOINT ["node"]
CMD ["/app/cli.js", "--help"]
