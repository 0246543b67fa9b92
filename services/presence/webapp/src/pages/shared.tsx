export function SharedPage({ token }: { token: string }) {
  return token;
}
