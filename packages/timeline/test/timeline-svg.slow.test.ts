import './timeline-svg.test.ts';
