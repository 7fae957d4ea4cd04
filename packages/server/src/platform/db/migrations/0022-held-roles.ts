/** The roles of a member, read by a function. */
export const heldRoles = {
  version: 22,
  name: 'held-roles',
  sql: `
-- A function instead of a subquery: PostgreSQL initializes the plan of a subquery at each execution, even if the member
-- has no roles. That was a fifth of the PostgreSQL time of a refresh.
create function held_roles(of_organization uuid, of_user uuid) returns json language plpgsql stable as $$
begin
  return (
    select json_build_object('roles', array_agg(distinct r.slug),
      'permissions', coalesce(array_agg(distinct granted.name) filter (where granted.name is not null), '{}'))
    from member_roles held
      join roles r on r.id = held.role_id
      left join lateral unnest(r.permissions) as granted (name) on true
    where held.organization_id = of_organization and held.user_id = of_user
    having count(*) > 0
  );
end $$;
`,
};
