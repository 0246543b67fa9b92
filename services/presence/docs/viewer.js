/* global SwaggerUIBundle, document, location, matchMedia */

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

/** What Swagger UI has that this page does not need, or that a screen reader stumbles over. */
const plain = ({ React }) => ({
  wrapComponents: {
    // There is one server. Its list is a field without a name.
    ServersContainer: () => () => null,
    // A link within a button, for addresses of operations that deepLinking would make.
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement("span", null, text),
    // A button for a token: requests are not sent from this page.
    authorizeBtn: () => () => null,
    authorizeOperationBtn: () => () => null,
  },
});

SwaggerUIBundle({
  url: document.querySelector("link[rel=describedby]").href,
  dom_id: "#viewer",
  plugins: [plain],
  // The API answers no preflight requests, and a token does not belong in a page.
  supportedSubmitMethods: [],
  validatorUrl: null,
  // Of its themes, one whose every colour can be read on the background it gets.
  syntaxHighlight: { theme: "tomorrow-night" },
  defaultModelsExpandDepth: 0,
  // The list of problems moved down when the endpoints appeared above it.
  onComplete: () => document.getElementById(location.hash.slice(1))?.scrollIntoView(),
});
