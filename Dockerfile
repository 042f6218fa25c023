# syntax=docker/dockerfile:1

# The bundle is the same for every architecture, so it is built on the builder's own and never under emulation.
FROM --platform=$BUILDPLATFORM node:24.21-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm run deps
COPY tsconfig.json ./
COPY src ./src
COPY certs ./certs
COPY test/build.ts test/build-page.ts ./test/
# Where people can read src/rules/README.md; denials then name it.
ARG RULES_URL=
RUN npm run build

# No shell, no package manager and no node_modules: Node and the program.
FROM gcr.io/distroless/nodejs24-debian13:nonroot
COPY --from=build /build/dist /rwo-guard
# By number, for the kubelet cannot tell from a name that `runAsNonRoot` holds.
USER 65532:65532
EXPOSE 8443 8080
ENTRYPOINT ["/nodejs/bin/node", "/rwo-guard/rwo-guard.js"]
CMD ["serve"]
