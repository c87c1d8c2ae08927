# Builds in a clone of the repository: the npm package has no source code.
# Debian slim rather than Alpine: the official Node builds target glibc. Nothing native is compiled: SQLite is part of
# Node, and the PostgreSQL driver is JavaScript.
FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/program.ts ./scripts/
COPY src ./src
RUN node scripts/build.ts
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26-slim
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY LICENSE ./
COPY bin ./bin
COPY packaging/healthcheck.js ./
RUN mkdir -m 700 /data && chown 1000:1000 /data
ENV NODE_ENV=production HOLDFAST_HOST=0.0.0.0 HOLDFAST_PORT=8080 HOLDFAST_DATABASE=sqlite:/data/holdfast.db
VOLUME /data
EXPOSE 8080
# A numeric id: Kubernetes can verify runAsNonRoot without the image's user list.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "/app/healthcheck.js"]
ENTRYPOINT ["node", "/app/bin/holdfast.js"]
CMD ["serve", "provider"]
