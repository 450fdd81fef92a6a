/** Where the server has something: beside the page, with the token that the page's own address has if other machines may watch. */
export function addressOf(path: string, page: string): URL {
  const address = new URL(path, page);
  const token = new URL(page).searchParams.get("token");
  if (token !== null) address.searchParams.set("token", token);
  return address;
}

/** The same for a socket. */
export function socketOf(path: string, page: string): string {
  return addressOf(path, page).href.replace(/^http/, "ws");
}
