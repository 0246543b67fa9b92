/* global SwaggerUIBundle, document, location, matchMedia */

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

/** A component whose elements are adjusted whenever it was drawn. */
const adjusted = (React, Original, adjust) => (props) => {
  const place = React.useRef(null);
  React.useEffect(() => adjust(place.current, props));
  return React.createElement(
    "div",
    { ref: place, className: "adjusted" },
    React.createElement(Original, props),
  );
};

/** What Swagger UI has that this page does not need, or that a screen reader stumbles over. */
const plain = ({ React }) => ({
  wrapComponents: {
    // Outside the main part, which holds the endpoints.
    InfoContainer: (Original) => (props) =>
      React.createElement(
        "div",
        { role: "region", "aria-label": "About this API" },
        React.createElement(Original, props),
      ),
    // Headings of the third level need one of the second.
    operations: (Original) => (props) =>
      React.createElement(
        React.Fragment,
        null,
        React.createElement("h2", { className: "endpoints-title" }, "Endpoints"),
        React.createElement(Original, props),
      ),
    Models: (Original) =>
      adjusted(React, Original, (element) => element.querySelector("h4")?.setAttribute("aria-level", "2")),
    // A region for each operation, all without a name.
    responses: (Original) =>
      adjusted(React, Original, (element, { method, path }) =>
        element
          .querySelector(".responses-table")
          ?.setAttribute("aria-label", `Responses to ${method.toUpperCase()} ${path}`),
      ),
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
