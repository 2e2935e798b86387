import './exhaustive-bulk-copies.test.ts';
