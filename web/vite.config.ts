import { defineConfig } from "vite";

/** Where `supple view` (or `npm run fake`) listens while `npm run dev` serves the sources. */
const server = process.env.SUPPLE_URL ?? "http://127.0.0.1:7878";

export default defineConfig({
  base: "./",
  build: {
    outDir: "dist",
    assetsInlineLimit: 0,
    // three.js is most of it
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: {
      "/ws": { target: server, ws: true },
      "/api": server,
      "/thumbs": server,
    },
  },
});
