export const text = {
  title: 'Domains',
  lead: 'Prove that a domain belongs to your organization. Members with an email address in it can then use single sign-on.',
  notYours: 'Only owners can manage domains',
  empty: 'No domains yet',
  emptyHint:
    'Add the domain of your email addresses, such as example.com, then prove with a DNS record that it is yours.',
  add: {
    open: 'Add domain',
    domain: 'Domain',
    hint: 'The part of your email addresses after the @, such as example.com. Subdomains are added separately.',
    wrong: 'Enter a domain such as example.com.',
    verb: 'Add domain',
    added: (domain: string) => `${domain} added`,
    refused:
      'This domain can’t be added. Enter a domain of your own: endings such as co.uk and domains of mail services such as gmail.com are not accepted.',
    conflict: 'Your organization already has this domain, or already has 20 domains.',
  },
  states: { pending: 'Pending', verified: 'Verified', failing: 'Record missing', lapsed: 'Lapsed' },
  hints: {
    pending:
      'To verify this domain, add this record in the settings of your DNS provider, which is often the company that registered the domain. Then select “Verify now”.',
    verified: 'Keep the DNS record: it is checked every day.',
    failing:
      'The last check didn’t find the DNS record. Add it again: seven days after the first failed check, the domain is no longer verified, and single sign-on stops working for its addresses.',
    lapsed:
      'The DNS record was missing for seven days, so the domain is no longer verified. Add the record again, then select “Verify now”.',
  },
  record: 'DNS record',
  type: 'Type',
  name: 'Name',
  value: 'Value',
  nameHint: (zone: string) => `Some DNS providers add “.${zone}” to the name themselves. Then leave that part out.`,
  showRecord: 'Show the DNS record',
  copy: (what: string) => `Copy: ${what}`,
  verifiedAt: 'Verified',
  checkedAt: 'Last checked',
  verify: 'Verify now',
  verifyLabel: (domain: string) => `Verify now: ${domain}`,
  isVerified: (domain: string) => `${domain} is verified`,
  refusals: {
    missing:
      'The DNS record was not found. A new record can take up to an hour to become visible. Compare its name and value with those above, wait a little and try again.',
    silent: 'The DNS servers of this domain did not answer. Try again later.',
    taken:
      'Another organization has verified this domain. That organization has to remove it first. If the domain is yours, contact support.',
  },
  tooOften: 'Too many checks in a short time.',
  next: 'Next: set up single sign-on',
  remove: {
    verb: 'Remove',
    label: (domain: string) => `Remove: ${domain}`,
    title: (domain: string) => `Remove ${domain}?`,
    questions: {
      pending: 'You can add it again later. It then needs a new DNS record.',
      verified:
        'Members with an address in this domain can no longer use single sign-on, and those who signed in with it are signed out. If you add the domain again, it needs a new DNS record.',
    },
    conflict:
      'Your sign-in rules require single sign-on, and this is the last domain that it works for. Change the rules first, under “Sign-in rules”.',
    removed: (domain: string) => `${domain} removed`,
  },
};
export type Text = typeof text;
