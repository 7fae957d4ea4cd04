export interface MembershipKey {
  readonly organization_id: string;
  readonly user_id: string;
}
