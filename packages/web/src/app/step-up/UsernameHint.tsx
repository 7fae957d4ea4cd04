/** Tells password managers whose password is asked for, where the address is not typed. */
export const UsernameHint = ({ email }: { email: string }) => (
  <input autoComplete="username" value={email} readOnly hidden />
);
