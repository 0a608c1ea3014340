package shop

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/examples/petstore/api"
	"github.com/idemgen/idemgen/examples/petstore/internal/auth"
	"github.com/idemgen/idemgen/examples/petstore/internal/db"
	idem "github.com/idemgen/idemgen/runtime"
)

// CreatePet takes in a pet.
func (s *Shop) CreatePet(ctx context.Context, tx *idem.Tx, request api.CreatePetRequestObject) (api.CreatePetResponseObject, error) {
	pet, err := db.New(tx).CreatePet(ctx, db.CreatePetParams{
		Tenant:     auth.Tenant(ctx),
		Name:       request.Body.Name,
		Tag:        request.Body.Tag,
		PriceCents: request.Body.PriceCents,
	})
	if err != nil {
		return nil, fmt.Errorf("create pet: %w", err)
	}
	return api.CreatePet201JSONResponse{
		Body:    toPet(pet),
		Headers: api.CreatePet201ResponseHeaders{Location: fmt.Sprintf("/pets/%d", pet.ID)},
	}, nil
}

// GetPet finds one pet.
func (s *Shop) GetPet(ctx context.Context, request api.GetPetRequestObject) (api.GetPetResponseObject, error) {
	pet, err := db.New(s.pool).GetPet(ctx, db.GetPetParams{Tenant: auth.Tenant(ctx), ID: request.PetId})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.GetPet404ApplicationProblemPlusJSONResponse(noSuch("pet")), nil
	case err != nil:
		return nil, fmt.Errorf("get pet: %w", err)
	}
	return api.GetPet200JSONResponse(toPet(pet)), nil
}

// ListPets lists a page of pets.
func (s *Shop) ListPets(ctx context.Context, request api.ListPetsRequestObject) (api.ListPetsResponseObject, error) {
	pets, err := db.New(s.pool).ListPets(ctx, db.ListPetsParams{
		Tenant:   auth.Tenant(ctx),
		Tag:      request.Params.Tag,
		After:    or(request.Params.After, 0),
		PageSize: pageSize(request.Params.Limit),
	})
	if err != nil {
		return nil, fmt.Errorf("list pets: %w", err)
	}
	return api.ListPets200JSONResponse(each(pets, toPet)), nil
}

// maxFound is how many pets a search returns at most.
const maxFound = 100

// SearchPets finds pets by several properties.
func (s *Shop) SearchPets(ctx context.Context, request api.SearchPetsRequestObject) (api.SearchPetsResponseObject, error) {
	pets, err := db.New(s.pool).SearchPets(ctx, db.SearchPetsParams{
		Tenant:        auth.Tenant(ctx),
		NameContains:  request.Body.NameContains,
		Tags:          or(request.Body.Tags, nil),
		MaxPriceCents: request.Body.MaxPriceCents,
		PageSize:      maxFound,
	})
	if err != nil {
		return nil, fmt.Errorf("search pets: %w", err)
	}
	return api.SearchPets200JSONResponse(each(pets, toPet)), nil
}

// UpdatePet changes some of a pet's properties.
func (s *Shop) UpdatePet(ctx context.Context, tx *idem.Tx, request api.UpdatePetRequestObject) (api.UpdatePetResponseObject, error) {
	pet, err := db.New(tx).UpdatePet(ctx, db.UpdatePetParams{
		Tenant:     auth.Tenant(ctx),
		ID:         request.PetId,
		Name:       request.Body.Name,
		Tag:        request.Body.Tag,
		PriceCents: request.Body.PriceCents,
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return api.UpdatePet404ApplicationProblemPlusJSONResponse(noSuch("pet")), nil
	case err != nil:
		return nil, fmt.Errorf("update pet: %w", err)
	}
	return api.UpdatePet200JSONResponse(toPet(pet)), nil
}

// DeletePet lets a pet go.
func (s *Shop) DeletePet(ctx context.Context, tx *idem.Tx, request api.DeletePetRequestObject) (api.DeletePetResponseObject, error) {
	deleted, err := db.New(tx).DeletePet(ctx, db.DeletePetParams{Tenant: auth.Tenant(ctx), ID: request.PetId})
	switch {
	case err != nil:
		return nil, fmt.Errorf("delete pet: %w", err)
	case deleted == 0:
		return api.DeletePet404ApplicationProblemPlusJSONResponse(noSuch("pet")), nil
	}
	return api.DeletePet204Response{}, nil
}

func toPet(p db.Pet) api.Pet {
	return api.Pet{
		Id:         p.ID,
		Name:       p.Name,
		Tag:        p.Tag,
		PriceCents: p.PriceCents,
		CreatedAt:  p.CreatedAt.UTC(),
	}
}
