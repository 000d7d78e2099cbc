/** Which cluster a call goes to and where its client enters, by where the client is. */
@NullMarked
package dev.parley.signaling.steering;

import org.jspecify.annotations.NullMarked;
