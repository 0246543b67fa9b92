import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

export const home = () => process.env.FRONTDESK_HOME ?? join(root, ".frontdesk");
