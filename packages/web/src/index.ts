export * from './pages.ts';
export * from './plain/brand.ts';
export * from './plain/document.ts';
export * from './plain/html.ts';
export * from './plain/not-found.ts';
export * from './plain/text.ts';
export * from './plain/theme.ts';
export * from './settings.ts';
