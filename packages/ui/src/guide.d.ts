declare module "virtual:guide" {
  export const guide: readonly import("./guide-blocks.ts").GuideBlock[];
}
