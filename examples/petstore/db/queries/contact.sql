-- name: CreateContactMessage :one
INSERT INTO contact_messages (email, message)
VALUES (@email, @message)
RETURNING id;
