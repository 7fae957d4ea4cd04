/** Tells password managers which account the password is for if the form has no email field. */
export const UsernameHint = ({ email }: { email: string }) => (
  <input autoComplete="username" value={email} readOnly hidden />
);
