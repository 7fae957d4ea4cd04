export * from './start-page.ts';
export * from './ui/document.ts';
export * from './ui/html.ts';
export * from './ui/theme.ts';
