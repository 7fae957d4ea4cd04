/** The rule of the service for the slugs of organizations and roles. */
export const isSlug = (slug: string): boolean => slug.length > 1 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug);
