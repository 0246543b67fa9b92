export { CodeInput } from "./code-input.tsx";
export { SignInForm, SignInPage } from "./sign-in.tsx";
export { createSigninApi, type SigninApi, type SigninOperations } from "./signin-api.ts";
