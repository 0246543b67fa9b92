import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

export const home = () => resolve(root, process.env.FRONTDESK_HOME || ".frontdesk");
