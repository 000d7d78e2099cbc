/** How much one client, one key or one address may take. */
@NullMarked
package dev.parley.signaling.limits;

import org.jspecify.annotations.NullMarked;
