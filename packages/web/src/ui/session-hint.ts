const KEY = 'gatehouse-signed-in';

/** The CSRF cookie exists as long as the access token is valid. */
const hasCsrfCookie = (): boolean => /(?:^|; )service_csrf=[^;]/.test(document.cookie);

/** False: this browser certainly has no session. Scripts cannot see the refresh token, so pages note their session. */
export function mayHaveSession(): boolean {
  try {
    return hasCsrfCookie() || localStorage.getItem(KEY) !== null;
  } catch {
    return true;
  }
}

export function noteSession(): void {
  try {
    localStorage.setItem(KEY, '1');
  } catch {
    // Without storage, pages always ask the service.
  }
}

/** Called when a page is left: the next page may have another origin, which cannot note the session. */
export function noteSessionIfOpen(): void {
  if (hasCsrfCookie()) noteSession();
}

export function forgetSession(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Without storage, nothing was noted.
  }
}
