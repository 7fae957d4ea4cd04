export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Text from outside the program, on one line, without control characters and limited in length. */
export const printable = (text: string, maxLength = 100): string => text.slice(0, maxLength).replace(/\p{C}/gu, '?');
