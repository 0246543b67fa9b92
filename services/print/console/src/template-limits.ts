/** How many characters the bridge keeps of a template. */
export const MAX_TEMPLATE = 1024 * 1024;
