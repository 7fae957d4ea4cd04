/** Styles that all plain pages share: colours of both schemes with AA contrast, type, links and visible focus. */
export const THEME = `
:root {
  color-scheme: light dark;
  --ink: #1d2129; --faint: #586070; --line: #e1e4e9; --paper: #ffffff; --ground: #f6f7f9; --sunken: #f1f3f6;
  --accent: #1f5fd6; --accent-wash: #e9f0fd; --solid: #1f5fd6;
  --green: #12694a; --green-wash: #e3f4ec; --amber: #7d4e00; --amber-wash: #fbf0d9; --red: #ad2330; --red-wash: #fce9ea;
  --mono: ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e8ec; --faint: #a3abb8; --line: #2e343d; --paper: #1b1f25; --ground: #14171c; --sunken: #101317;
    --accent: #83adff; --accent-wash: #1d2b47;
    --green: #74d3a9; --green-wash: #153429; --amber: #edc06a; --amber-wash: #3a2d12; --red: #ff9aa2; --red-wash: #432026;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
p, ul, ol, dl { margin: 0 0 1rem; }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--mono); }
code { font-size: .875em; overflow-wrap: anywhere; }
.faint { color: var(--faint); }
.skip { position: absolute; left: 1rem; top: -6rem; z-index: 2; padding: .5rem 1rem; border-radius: 6px; background: var(--paper); color: var(--accent); }
.skip:focus { top: 1rem; }
.mark { display: inline-flex; align-items: center; gap: .55rem; color: var(--ink); font-weight: 650; letter-spacing: -.01em; text-decoration: none; }
.mark .logo { display: block; height: 1.75rem; max-width: 14rem; object-fit: contain; object-position: left; }
.mark svg { flex: none; width: 1.5rem; height: 1.5rem; color: var(--accent); }
`;
