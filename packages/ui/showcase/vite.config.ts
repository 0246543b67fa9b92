import { consoleConfig } from "../build/console-config.ts";

export default { ...consoleConfig(), preview: { host: "127.0.0.1", port: 31079, strictPort: true } };
