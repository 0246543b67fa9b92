import { Component, type ReactNode } from "react";
import { ErrorState } from "./states.tsx";
import { t } from "./words/frame.ts";

/** When a page breaks, the rest of the console stays, and the person can go on. A class, because React asks for one. */
export class PageBoundary extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    const error = new Error(t.thisPageCouldNotBeShown);
    return <ErrorState error={error} retry={() => this.setState({ broken: false })} />;
  }
}
