// SPDX-License-Identifier: Apache-2.0
export const WORDS = {open: 'values that nobody knows', closed: `Of ${3} of them, none`};
