import { consoleConfig } from "../build/console-config.ts";

export default { ...consoleConfig(), server: { port: 31079, strictPort: true } };
