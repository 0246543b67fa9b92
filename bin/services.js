/** The services that "npm start" runs, in this order, where each begins, the console that is built for it, and whether it opens privileged ports. */
export const services = {
  avatar: {
    about: "faces: square images keyed by an identity hash",
    main: "services/avatar/src/main.ts",
    console: "services/avatar/console",
  },
  presence: {
    about: "who is in and what they have to do: integration API and signed webhooks",
    main: "services/presence/src/main.ts",
    console: "services/presence/webapp",
  },
  lease: {
    about: "addresses: a DHCP server and its management",
    main: "services/lease/manager/src/main.ts",
    console: "services/lease/console",
    needsRoot: true,
  },
  print: {
    about: "labels: a bridge from web pages to label printers",
    main: "services/print/bridge/src/main.ts",
    console: "services/print/console",
  },
};

/** The DHCP server alone, without its management. */
export const LEASE_ENGINE = "services/lease/engine/src/main.ts";

/** The sample data of an office, beside the services. */
export const DEMO = "demo/main.ts";
