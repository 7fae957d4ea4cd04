type Check = (path: string, text: string) => string[];
export const checkNames: Check;
export const checkPhrases: Check;
export const checkColumns: Check;
export const checkComments: Check;
export function checkSubject(subject: string): string[];
